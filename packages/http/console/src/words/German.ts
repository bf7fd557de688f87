// German texts, by room.
import { account } from "./de/account.ts"
import { blasts } from "./de/blasts.ts"
import { contacts } from "./de/contacts.ts"
import { delivery } from "./de/delivery.ts"
import { emails } from "./de/emails.ts"
import { flows } from "./de/flows.ts"
import { home } from "./de/home.ts"
import { imports } from "./de/imports.ts"
import { inbox } from "./de/inbox.ts"
import { lists } from "./de/lists.ts"
import { operations } from "./de/operations.ts"
import { settings } from "./de/settings.ts"
import { shell } from "./de/shell.ts"
import { tents } from "./de/tents.ts"
import type { Words } from "./Words.tsx"

export const german: Words = {
  account,
  blasts,
  contacts,
  delivery,
  emails,
  flows,
  home,
  imports,
  inbox,
  lists,
  operations,
  settings,
  shell,
  tents,
}
