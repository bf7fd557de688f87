// The entry point of the package: `connect` for the API, `connectAdmin` for the administration API, `connectAccounts` for sign-in.
// See docs/client.md.
export {
  connect,
  connectAccounts,
  connectAdmin,
  type ConnectAccountsOptions,
  type ConnectAdminOptions,
  type ConnectOptions,
} from "./Connect.ts"
export { type ChangeEvent, eventsOf } from "./Events.ts"
export { ApiError, ConnectionFailed, type Failure, type Issue, UnexpectedAnswer } from "./Failures.ts"
export type { Answer, CallOptions, Listing, Method, Outcome } from "./Methods.ts"
export { type EventBatch, verifyWebhook, type WebhookRefusal, WebhookRefused, type WebhookRequest } from "./Webhooks.ts"
export type { RetryLimits } from "./Retry.ts"
export type * from "./generated/Api.ts"
export type { ErrorCode } from "./generated/ErrorCode.ts"
export type * as Accounts from "./generated/AccountsApi.ts"
export type * as Admin from "./generated/AdminApi.ts"
