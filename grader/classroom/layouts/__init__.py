"""One module per way in which an LMS, a tool or a person names and places a class's submissions."""
