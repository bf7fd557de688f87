// Texts of the room "inbox".
export const inbox = {}
