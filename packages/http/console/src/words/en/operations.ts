// Texts of the room "operations".
export const operations = {}
