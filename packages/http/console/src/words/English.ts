// English texts, by room. Their shape is the one that other languages have.
import { account } from "./en/account.ts"
import { blasts } from "./en/blasts.ts"
import { contacts } from "./en/contacts.ts"
import { delivery } from "./en/delivery.ts"
import { emails } from "./en/emails.ts"
import { flows } from "./en/flows.ts"
import { home } from "./en/home.ts"
import { imports } from "./en/imports.ts"
import { inbox } from "./en/inbox.ts"
import { lists } from "./en/lists.ts"
import { operations } from "./en/operations.ts"
import { settings } from "./en/settings.ts"
import { shell } from "./en/shell.ts"
import { tents } from "./en/tents.ts"

export const english = {
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
