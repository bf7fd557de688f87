// The memory tables of contacts and of the rows that refer to them.
import type { Contact } from "@tentpole/core/contacts/Contact"
import type { Activity } from "@tentpole/core/contacts/Activity"
import type { Submission } from "@tentpole/core/forms/Submission"
import { table } from "../kernel/MemoryDatabase.ts"

export const contacts = table<Contact>("contact")
export const activities = table<Activity & { readonly id: string }>("activity")
export const submissions = table<Submission>("form_submission")
