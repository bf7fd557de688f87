// English texts, by room. Each room is a chunk of its own.

/** Loads the texts of a room. Their shape is the one that other languages have. */
export const english = {
  account: async () => (await import("./en/account.ts")).account,
  blasts: async () => (await import("./en/blasts.ts")).blasts,
  contacts: async () => (await import("./en/contacts.ts")).contacts,
  delivery: async () => (await import("./en/delivery.ts")).delivery,
  emails: async () => (await import("./en/emails.ts")).emails,
  flows: async () => (await import("./en/flows.ts")).flows,
  home: async () => (await import("./en/home.ts")).home,
  imports: async () => (await import("./en/imports.ts")).imports,
  inbox: async () => (await import("./en/delivery/inbox.ts")).inbox,
  lists: async () => (await import("./en/lists.ts")).lists,
  messages: async () => (await import("./en/delivery/messages.ts")).messages,
  operations: async () => (await import("./en/operations.ts")).operations,
  palette: async () => (await import("./en/shell/palette.ts")).palette,
  segments: async () => (await import("./en/segments.ts")).segments,
  settings: async () => (await import("./en/settings.ts")).settings,
  shell: async () => (await import("./en/shell.ts")).shell,
  tents: async () => (await import("./en/tents.ts")).tents,
  topics: async () => (await import("./en/audience/topics.ts")).topics,
  webhooks: async () => (await import("./en/webhooks.ts")).webhooks,
}
