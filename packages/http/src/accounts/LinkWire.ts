// Wire schemas of one-time links.
import type { LinkView } from "@tentpole/core/accounts/Accounts"
import { linkPurposes } from "@tentpole/core/accounts/SignInLink"
import { user_name_length_max } from "@tentpole/core/accounts/User"
import { WorkspaceId } from "@tentpole/core/kernel/Ids"
import { roles } from "@tentpole/core/workspaces/Role"
import { Schema } from "effect"
import { oneOf, Text } from "../Wire.ts"

const token = Text(200, 1).annotate({ description: "The part of the link after `#link=`" })

export const userName = Text(user_name_length_max, 1)

export const roleWire = oneOf(...roles)

export const NamedLink = Schema.Struct({ token }).annotate({ identifier: "NamedLink" })

/** A link, with what its user chooses. */
export const LinkFields = Schema.Struct({
  token,
  name: Schema.optionalKey(userName).annotate({ description: "Name of the new user" }),
  email: Schema.optionalKey(Text(320, 1)).annotate({ description: "Address of the first user" }),
})

export const LinkWire = Schema.Struct({
  purpose: oneOf(...linkPurposes),
  email: Schema.NullOr(Schema.String).annotate({ description: "Who the link is for. null for the first user" }),
  workspace: Schema.NullOr(Schema.Struct({ workspace_id: WorkspaceId, name: Schema.String })).annotate({
    description: "The workspace of an invitation, else null",
  }),
  role: Schema.NullOr(roleWire).annotate({ description: "The role of an invitation, else null" }),
  has_account: Schema.Boolean.annotate({
    description: "Whether the address has a user already, who signs in with the existing password or a passkey",
  }),
}).annotate({ identifier: "SignInLink" })

export const toLinkWire = ({ hasAccount, link, workspace }: LinkView): typeof LinkWire.Type => ({
  purpose: link.purpose,
  email: link.purpose === "first" ? null : link.email,
  workspace: workspace === null ? null : { workspace_id: workspace.id, name: workspace.name },
  role: link.purpose === "invitation" ? link.role : null,
  has_account: hasAccount,
})
