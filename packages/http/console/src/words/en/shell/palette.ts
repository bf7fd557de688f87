// The palette: search by name, and commands.
export const palette = {
  placeholder: "Search, or go to a screen",
  searching: "Searching …",
  screens: "Go to",
  commands: "Commands",
  /** The status of a result; of a list its kind. */
  details: {
    static: "static",
    dynamic: "dynamic",
    system: "system",
    draft: "draft",
    approved: "approved",
    scheduled: "scheduled",
    sending: "sending",
    sent: "sent",
    failed: "failed",
    cancelled: "cancelled",
    archived: "archived",
    active: "active",
    paused: "paused",
    pending: "empty",
    queued: "queued",
    generating: "being generated",
    completed: "completed",
  },
}
