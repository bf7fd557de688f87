// A blast on its way, for whoever needs one to go out.
import { answered, type Callable } from "./Service.ts"

const html = `<html><body><h1>Hello {{contact.first_name|friend}}</h1>
<p>There is <a href="https://example.com/news?from=mail">news</a> from {{contact.city}}.</p></body></html>`

/** A blast to a list, which begins at once. */
export const startBlast = async (service: Callable, listId: string): Promise<string> => {
  const { blast_id } = await answered(service, "POST", "/v1/email-blasts", { name: "Hello" })
  await answered(service, "PUT", `/v1/email-blasts/${blast_id}/audience`, { source: "existing", list_id: listId })
  const { email } = await answered(service, "PUT", `/v1/email-blasts/${blast_id}/email`, {
    source: "inline",
    html,
    subject: "Hello {{contact.first_name}}",
    from_name: "Tentpole",
    from_address: "hello@example.test",
    reply_to_email: "hello@example.test",
  })
  await answered(service, "POST", `/v1/emails/${email.email_id}/approve`, {})
  await answered(service, "POST", `/v1/email-blasts/${blast_id}/send-now`, {})
  return blast_id
}
