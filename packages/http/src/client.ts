// The client of the API for Effect, beside the one for promises of `@tentpole/client`. See docs/client.md. It depends on the API
// value only, neither on node nor on a database.
export {
  type Answer,
  ApiError,
  connect,
  ConnectionFailed,
  type ConnectOptions,
  type Failure,
  type Outcome,
  type RetryLimits,
  UnexpectedAnswer,
} from "@tentpole/client"
export { type Client, type ClientOptions, make } from "./client/Client.ts"
export type { CallOptions } from "./client/Call.ts"
