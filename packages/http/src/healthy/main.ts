// What a container is asked by: ends with 0 while the process in it lives, with 1 when it does not answer. A worker answers
// on WORKER_PORT, everything else on PORT. Whether the database answers is asked of /readyz, by whoever sends requests
// here: a process is not mended by starting it again while its database is away.
const port = process.env["WORKER_PORT"] ?? process.env["PORT"] ?? "8080"
const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
process.exit(response?.ok === true ? 0 : 1)
