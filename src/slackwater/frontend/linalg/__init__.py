"""Matrix programs as users write them: Python expressions, or a text form like Octave's."""
