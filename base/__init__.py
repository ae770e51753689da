"""What every room stands on: the root of errors, whole files, wording. Imports none of the other rooms."""
