// The typed client of the API. `connect` for programs with promises, `make` for programs of Effect; docs/client.md shows
// both. It knows the API's description and nothing of the service: neither a database nor node comes with it.
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
