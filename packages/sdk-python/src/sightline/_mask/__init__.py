MASKED = "[masked]"
WITHHELD = "[withheld: the mask function failed]"
