// Refusals of subscription requests.
import { Schema } from "effect"
import { refusalClass } from "../kernel/Refusal.ts"

/** No mail may be sent to the address. */
export class AddressSuppressed extends refusalClass<AddressSuppressed>()("AddressSuppressed", {
  code: "address_suppressed",
  fields: { reason: Schema.String },
  message: ({ reason }) =>
    `No mail is sent to this address (${reason}), so that it can't confirm. Remove the suppression if the person asks for it`,
  details: ({ reason }) => ({ status: reason }),
}) {}

export class ConfirmationLimitReached extends refusalClass<ConfirmationLimitReached>()("ConfirmationLimitReached", {
  code: "confirmation_limit_reached",
  fields: { of: Schema.Literals(["address", "workspace"]), wait_s: Schema.Int },
  message: ({ of, wait_s }) =>
    of === "address"
      ? `This address got its confirmation mails. The next one can be sent in ${wait_s} seconds`
      : `The workspace has reached its unconfirmed requests of an hour (confirmations_per_hour). Try again in ${wait_s} seconds`,
}) {}
