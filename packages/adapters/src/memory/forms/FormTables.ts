// The memory table of what forms subscribe to.
import type { FormConsent } from "@tentpole/core/forms/FormConsent"
import type { TentId } from "@tentpole/core/kernel/Ids"
import { table } from "../kernel/MemoryDatabase.ts"

/** By tent and form. */
export const formConsents = table<{ readonly tentId: TentId; readonly formId: string; readonly consent: FormConsent }>(
  "form_consent",
)
