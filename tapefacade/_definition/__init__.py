"""How an op is defined: the `@op` decorator, its checks, and what a call of an op does."""
