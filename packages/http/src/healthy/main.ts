// Health check of the container: exits with 0 if the process answers, otherwise with 1. Workers listen on WORKER_PORT, other
// processes on PORT. It does not check the database (/readyz does), because a restart does not help while it is down.
const port = process.env["WORKER_PORT"] ?? process.env["PORT"] ?? "8080"
const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)
process.exit(response?.ok === true ? 0 : 1)
