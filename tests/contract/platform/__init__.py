"""What every platform must do: render, parse, stand beside an operator's configuration, change, be delivered."""
