// The requests of the campaign `messages`: one for each number, with its key.
import { encodeText } from "@tentpole/core/kernel/Bytes"

export const bodyOf = (number: number, domain: string, name = `person${number}`) => ({
  to: { email: `${name}@${domain}` },
  subject: "Your order {{data.order}}",
  text: "Thank you for order {{data.order}}.",
  from_address: `orders@${domain}`,
  data: { order: number },
})

export const keyOf = (number: number) => ({ key: `order ${number}`, bodyHash: encodeText(String(number)) })
