"""Calls a model with a prompt of the platform, and says what it was."""

from __future__ import annotations

import json
import os
import sys

from sightline import close_redis_publisher, get_prompt, initialize_redis_publisher, observe

initialize_redis_publisher().wait()
prompt = get_prompt(sys.argv[1], fallback="away")
with observe("answer", kind="llm", input=[{"role": "system", "content": prompt.compile(name="Ada")}]):
    pass
close_redis_publisher().wait()
print(json.dumps({"source": prompt.source, "version": prompt.version, "text": prompt.compile(name="Ada")}))
sys.stdout.flush()
os._exit(0)
