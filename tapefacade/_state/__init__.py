"""State: variables, modules, random generators, scopes."""
