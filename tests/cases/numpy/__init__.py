"""Rows for tapefacade/_numpy."""
