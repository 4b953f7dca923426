"""Matrix programs kept up to date by factored deltas: values, compiler, cost model, back ends."""
