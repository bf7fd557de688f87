// The laws of every port, for whoever writes an adapter: call each with a name and the layer to hold to it.
import { blobs } from "./blobs.ts"
import { jobs } from "./jobs.ts"
import { outbox } from "./outbox.ts"
import { workspaces } from "./workspaces.ts"

export type { Send } from "./blobs.ts"
export { Fresh } from "./fresh.ts"
export const contract = { blobs, jobs, outbox, workspaces }
