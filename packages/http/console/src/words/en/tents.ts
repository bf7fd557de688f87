// Texts of the room "tents".
export const tents = {}
