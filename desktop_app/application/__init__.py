"""The running application: a session, its window and tray, and what each change does to them."""
