// The menu: groups of screens, and the letter that goes to each after `g`. An entry shows as soon as its route exists.
import type { ComponentType } from "react"
import type { Role } from "../api/session.ts"
import * as Icons from "../Icons.tsx"
import type { Words } from "../words/Words.tsx"

export interface MenuEntry {
  readonly name: keyof Words["shell"]["screens"]
  readonly path: string
  readonly icon: ComponentType
  readonly letter: string | null
  /** Default: every member. */
  readonly needs?: Role | "operator"
}

interface MenuGroup {
  readonly group: keyof Words["shell"]["groups"]
  readonly entries: ReadonlyArray<MenuEntry>
}

export const menu: ReadonlyArray<MenuGroup> = [
  { group: "home", entries: [{ name: "home", path: "/home", icon: Icons.HomeIcon, letter: "h" }] },
  {
    group: "audience",
    entries: [
      { name: "contacts", path: "/contacts", icon: Icons.ContactsIcon, letter: "c" },
      { name: "lists", path: "/lists", icon: Icons.ListsIcon, letter: "s" },
      { name: "topics", path: "/topics", icon: Icons.TopicsIcon, letter: null },
      { name: "imports", path: "/imports", icon: Icons.ImportsIcon, letter: "i" },
    ],
  },
  {
    group: "messages",
    entries: [
      { name: "blasts", path: "/blasts", icon: Icons.BlastsIcon, letter: "b" },
      { name: "flows", path: "/flows", icon: Icons.FlowsIcon, letter: "f" },
      { name: "emails", path: "/emails", icon: Icons.EmailsIcon, letter: "e" },
      { name: "templates", path: "/templates", icon: Icons.TemplatesIcon, letter: null },
      { name: "messages", path: "/messages", icon: Icons.MessagesIcon, letter: null },
    ],
  },
  { group: "pages", entries: [{ name: "tents", path: "/tents", icon: Icons.TentsIcon, letter: "t" }] },
  {
    group: "delivery",
    entries: [
      { name: "domains", path: "/domains", icon: Icons.DomainsIcon, letter: null },
      { name: "suppressions", path: "/suppressions", icon: Icons.SuppressionsIcon, letter: null },
      { name: "inbox", path: "/inbox", icon: Icons.InboxIcon, letter: "m" },
    ],
  },
  {
    group: "integrations",
    entries: [{ name: "webhooks", path: "/webhooks", icon: Icons.WebhooksIcon, letter: "w" }],
  },
  {
    group: "installation",
    entries: [
      { name: "operations", path: "/operations", icon: Icons.OperationsIcon, letter: "o", needs: "operator" },
      { name: "workspaces", path: "/workspaces", icon: Icons.BlocksIcon, letter: null, needs: "operator" },
      { name: "audit", path: "/audit", icon: Icons.AuditIcon, letter: null, needs: "owner" },
      { name: "settings", path: "/settings", icon: Icons.SettingsIcon, letter: null },
    ],
  },
]
