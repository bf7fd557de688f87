// Texts of the room "blasts".
export const blasts = {}
