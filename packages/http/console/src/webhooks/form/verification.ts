// The program of a receiver that checks the signature of a request.
export const verification = `import { verifyWebhook } from "@tentpole/client"

// The text of the body as it came, and the headers.
const event = await verifyWebhook({
  body: await request.text(),
  headers: request.headers,
  secrets: [process.env.WEBHOOK_SECRET],
})`
