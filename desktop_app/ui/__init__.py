"""Windows. They draw and ask the session; they never infer or download."""
