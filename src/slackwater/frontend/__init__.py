"""Front ends: each turns a user's text or objects into the algebra that is planned."""
