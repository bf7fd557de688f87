// Texts of the room "settings".
export const settings = {}
