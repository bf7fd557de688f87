// Lists, and segments.
export const lists = {}
