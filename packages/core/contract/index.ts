// The laws of every port, for whoever writes an adapter: call each with a name and the layer to hold to it.
import { outbox } from "./outbox.ts"

export { Fresh } from "./fresh.ts"
export const contract = { outbox }
