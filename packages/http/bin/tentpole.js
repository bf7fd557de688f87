#!/usr/bin/env node
import "@tentpole/http/cli/main"
