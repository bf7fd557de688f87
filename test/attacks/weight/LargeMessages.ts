// A message whose tokens the values of a contact fill, up to the maximum size.
import { BlastId, DeliveryId } from "@tentpole/core/kernel/Ids"
import { Links } from "@tentpole/core/rendering/Links"
import { Deliveries } from "@tentpole/core/sending/Deliveries"
import { Effect } from "effect"
import { rooms } from "@tentpole/http/test/attacks/Rooms"
import type { Estate } from "@tentpole/http/test/attacks/AttackSuite"
import type { Sent } from "@tentpole/http/test/fixtures/World"
import { text } from "./Fillings.ts"
import type { Tenant, Weighed } from "./Weighed.ts"

export const settled = async (weighed: Weighed, name: string) => {
  const room = rooms.find((each) => each.name === name)
  if (room === undefined) throw new Error(`there is no room ${name}`)
  const tenant = await weighed.tenant()
  const { estate } = await weighed.deployment.inside.run(room.settle(tenant, "ours", weighed.context))
  return { tenant, estate }
}

/** A delivery of a blast that waits for a worker. */
export const delivery = async (weighed: Weighed, { estate, tenant }: Awaited<ReturnType<typeof settled>>) => {
  const { deployment } = weighed
  const blast = BlastId.make(estate["blastId"] ?? "")
  await deployment.inside.run(tenant.call("POST", `/v1/email-blasts/${blast}/send-now`, { json: {} }))
  await deployment.inside.run(Effect.flatMap(Deliveries, (it) => it.fixAudience(tenant.workspace, blast)))
  const [row] = await deployment.inside.asOwner<{ readonly delivery_id: string }>(
    "select delivery_id from delivery where workspace_id = $1::uuid limit 1",
    [tenant.workspace],
  )
  const deliveryId = DeliveryId.make(row?.delivery_id ?? "")
  const links = await deployment.inside.run(
    Effect.map(Links, (it) => it.of({ workspaceId: tenant.workspace, deliveryId })),
  )
  return { tenant, links }
}

/** Calls of a tenant that must succeed. */
export const calling =
  (weighed: Weighed, { call }: Tenant) =>
  async (method: string, path: string, sent: Sent = { json: {} }) => {
    const answered = await weighed.deployment.inside.run(call(method, path, sent))
    if (answered.status >= 300) throw new Error(`${path} answered ${answered.status}: ${answered.text.slice(0, 500)}`)
    return answered.json
  }

/** Approves the blast's email with these tokens. */
export const writeTokens = async (
  weighed: Weighed,
  tenant: Tenant,
  estate: Estate,
  html: (field: string) => string,
): Promise<void> => {
  const ask = calling(weighed, tenant)
  const field = `{{contact.custom_fields.${estate.field}}}`
  const email = `/v1/emails/${estate["emailId"]}`
  await ask("POST", `${email}/unapprove`)
  await ask("PUT", `${email}/content`, { json: { html: html(field) } })
  await ask("PATCH", email, { json: { subject: `{{contact.first_name}} ${field} `.repeat(10) } })
  await ask("POST", `${email}/approve`)
}

const names = ["first_name", "last_name", "company", "job_title", "city"]

/** Fills the values of a contact. The custom field has the given length. */
export const fillContact = async (
  weighed: Weighed,
  tenant: Tenant,
  { contactId, field }: { readonly contactId: string; readonly field: string },
  { filling, length }: { readonly filling: string; readonly length: number },
): Promise<void> => {
  const filledWith = (length_max: number) => text(filling, { length_max, bytes_max: Infinity })
  const values = Object.fromEntries(names.map((name) => [name, filledWith(255)]))
  const json = { ...values, custom_fields: { [field]: filledWith(length) } }
  await calling(weighed, tenant)("PATCH", `/v1/contacts/${contactId}`, { json })
}

/** Lengths of a custom field: one for which escaped values fit into a message, and the maximum. */
export const value_lengths = [1_500, 10_000]

/** HTML with tokens in each kind of place, by name. `field` is a token. */
export const tokenHtmls: Readonly<Record<string, (field: string) => string>> = {
  "text and attributes": (field) =>
    `<p title="{{contact.first_name}}">${field} {{contact.company | x}}</p>`.repeat(900),
  addresses: (field) => `<a href="https://a.test/?a=${field}">x</a><img src="${field}">`.repeat(300),
  styles: (field) => `<i style="color:${field}">x</i>`.repeat(1_000),
  "as many tokens as allowed": () => "{{contact.first_name}}".repeat(9_900),
  "many formats": (field) => `<p>${field.replace("}}", ":uppercase:titlecase|x}}")}</p>`.repeat(400),
}
