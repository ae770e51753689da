"""The contract of every platform: render, parse, coexist with an operator's configuration, change, deliver."""
