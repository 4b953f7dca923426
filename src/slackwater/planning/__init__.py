"""Plans of views: made, kept, and made anew."""
