/** Whatever mail servers take, without what would end or split a header. */
const SHAPE = /^[^\s@<>()[\]\\,:;"\p{C}]{1,64}@[^\s@<>()[\]\\,:;"\p{C}]{1,255}$/u;

export const isEmailAddress = (text: string): boolean => SHAPE.test(text);
