"""The headers of src/api/, in the order in which api.h includes them: for the tools that read declarations."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with open(os.path.join(ROOT, "src/api/api.h"), encoding="utf-8") as f:
    PARTS = re.findall(r'^#include "(\w+\.h)"', f.read(), re.M)
