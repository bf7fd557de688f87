// Texts of the room "imports".
export const imports = {}
