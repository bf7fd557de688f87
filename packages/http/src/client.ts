// The typed client of the API: `connect` for promises, `make` for Effect. See docs/client.md. It depends on the API value only,
// neither on node nor on a database.
export {
  connect,
  type ConnectOptions,
  type Outcome,
  type PromiseCallOptions,
  type PromiseClient,
} from "./client/Promises.ts"
export { type Client, type ClientOptions, make } from "./client/Client.ts"
export type { Answer, CallOptions } from "./client/Call.ts"
export { ApiError, ConnectionFailed, type Failure, UnexpectedAnswer } from "./client/Failures.ts"
export type { RetryLimits } from "./client/Retry.ts"
