// German texts, by room.
import type { Words } from "./Words.tsx"

export const german: { readonly [Room in keyof Words]: () => Promise<Words[Room]> } = {
  account: async () => (await import("./de/account.ts")).account,
  blasts: async () => (await import("./de/blasts.ts")).blasts,
  contacts: async () => (await import("./de/contacts.ts")).contacts,
  delivery: async () => (await import("./de/delivery.ts")).delivery,
  emails: async () => (await import("./de/emails.ts")).emails,
  flows: async () => (await import("./de/flows.ts")).flows,
  home: async () => (await import("./de/home.ts")).home,
  imports: async () => (await import("./de/imports.ts")).imports,
  inbox: async () => (await import("./de/delivery/inbox.ts")).inbox,
  lists: async () => (await import("./de/lists.ts")).lists,
  messages: async () => (await import("./de/delivery/messages.ts")).messages,
  operations: async () => (await import("./de/operations.ts")).operations,
  palette: async () => (await import("./de/shell/palette.ts")).palette,
  segments: async () => (await import("./de/segments.ts")).segments,
  settings: async () => (await import("./de/settings.ts")).settings,
  shell: async () => (await import("./de/shell.ts")).shell,
  tents: async () => (await import("./de/tents.ts")).tents,
  topics: async () => (await import("./de/audience/topics.ts")).topics,
  webhooks: async () => (await import("./de/webhooks.ts")).webhooks,
}
