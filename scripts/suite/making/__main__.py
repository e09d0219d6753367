"""Write the cases of the contact suite anew."""

from . import write

write()
