// The tables of contacts in memory.
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { RecordedActivity } from "@tentpole/core/contacts/ContactStore"
import { table } from "./MemoryDatabase.ts"

export const contacts = table<Contact>("contact")
export const activities = table<RecordedActivity>("activity")
