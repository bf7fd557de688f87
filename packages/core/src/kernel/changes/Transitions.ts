// Transitions: the table of a state machine as a value, from which the types of its moves follow.

/**
 * For each status the events that it accepts, and the status that follows. A list where facts decide which one. A status
 * that an event does not name refuses it.
 */
export type Transitions<Status extends string, Event extends string, After extends string = Status> = {
  readonly [From in Status]: { readonly [On in Event]?: After | ReadonlyArray<After> }
}

/** The statuses in which a table accepts an event. */
export type SourceOf<Table, Event extends PropertyKey> = {
  [From in keyof Table]: Event extends keyof Table[From] ? From : never
}[keyof Table]

/** The statuses that an event can lead to. */
export type TargetOf<Table, Event extends PropertyKey> = {
  [From in keyof Table]: Event extends keyof Table[From]
    ? Table[From][Event] extends ReadonlyArray<infer To>
      ? To
      : Table[From][Event]
    : never
}[keyof Table]
