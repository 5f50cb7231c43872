"""What other systems read: results in their format (`results/`) and their grade files (`gradefiles/`).

Each target is one module, found by its name; nothing lists them. A report is never changed here: targets
only say it in another language, and leave out what its reader must not see.
"""
